// "Ask for help": sent without leaving the page, so that nothing else that is typed on it is lost.
// What is refused, or does not arrive, stays in its field. Without scripts it is a plain form.

const LONGEST_WAIT = 10_000; // ms for one request

const form = document.getElementById("ask-form");

/** Draws what was asked and told anew, where it is not the same. */
export function putMessages(html) {
  const told = document.getElementById("told");
  if (!told || html === undefined) return;
  const fresh = document.createElement("div");
  fresh.innerHTML = html;
  const open = document.getElementById("told-earlier")?.open ?? false;
  fresh.querySelector("details")?.toggleAttribute("open", open);
  if (fresh.innerHTML.trim() === told.innerHTML.trim()) return;
  told.hidden = false;
  told.replaceChildren(...fresh.childNodes);
}

function say(text, wrong = false) {
  const line = document.getElementById("ask-said");
  line.textContent = text;
  line.classList.toggle("is-wrong", wrong);
}

async function send() {
  const field = form.elements.text;
  const sent = field.value;
  const reply = await fetch(form.action, {
    method: "POST",
    body: new FormData(form),
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(LONGEST_WAIT),
  });
  const { refused, messages_html: messagesHtml } = await reply.json();
  putMessages(messagesHtml);
  if (refused) {
    say(refused, true);
    return;
  }
  if (field.value === sent) field.value = "";
  say(form.dataset.sent);
}

async function submit(event) {
  event.preventDefault();
  event.stopPropagation();
  const button = form.querySelector("button");
  if (button.getAttribute("aria-disabled")) return;
  button.setAttribute("aria-disabled", "true");
  say("");
  await send().catch(() => say(form.dataset.failed, true));
  button.removeAttribute("aria-disabled");
}

export function start() {
  form?.addEventListener("submit", submit);
}
