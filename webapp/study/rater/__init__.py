"""Pages of the rating stage: an example, a quiz, the ratings, and the submission of all of them."""
