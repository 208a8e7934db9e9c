"""Language models that judge a campaign, as raters or as in the paper.

The two modes are never pooled. `judges`: a researcher's actions on a judge. `running`: how a worker
runs it. `asking`: how each question is sent once. `questions`: a rater's page as a prompt.
`criteria`: the paper's three scores of a whole game. `estimates`: the expected cost. `concordance`:
judges compared with people, for the statistics.
"""
