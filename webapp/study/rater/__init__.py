"""What a rater lives through: the link, consent, an example, the ratings, the code.

draw.py gives units out, saves.py takes ratings, sheet.py says what a page asks, browser.py knows
whose browser it is; entrance.py and pages.py are the views.
"""
