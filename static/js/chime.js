// A soft chime, for those who want one.

export const SOUND = "sound"; // the wish for it (wishes.js)
const NOTES = [659.25, 880]; // Hz

let audio = null;

export function chime() {
  audio ??= new AudioContext();
  audio.resume();
  NOTES.forEach((frequency, number) => {
    const at = audio.currentTime + number * 0.16;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0005, at + 0.9);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 1);
  });
  document.dispatchEvent(new CustomEvent("fabula:chime"));
}
