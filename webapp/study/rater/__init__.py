"""The pages of the stage of ratings: an example, a quiz, the ratings, handing in.

assigning.py gives units out, saves.py takes ratings, rating_form.py says what a page asks,
of_participants.py leads back to the study's stages; pages.py has the views.
"""
