"""What a rater lives through: the link, consent, an example, the ratings, the code.

assigning.py gives units out, saves.py takes ratings, rating_form.py says what a page asks,
rater_sessions.py knows whose browser it is; enrolment.py and pages.py are the views.
"""
