"""Language models that judge a campaign: as its raters do, or as in the paper; never pooled.

`judges`: what a researcher does with one. `running`: how a worker carries it out, by `asking` each
question once. `questions`: a rater's page as a prompt. `criteria`: the paper's three scores of a
whole game. `estimates`: what it would cost. `concordance`: the judge beside people, for the
statistics.
"""
