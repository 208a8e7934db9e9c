"""Pages of the rating stage: an example, a quiz, the ratings, and submission.

assigning.py assigns units, saving.py stores ratings, rating_form.py builds the form of a page,
participant_raters.py returns to the study's stages, and views.py has the views.
"""
