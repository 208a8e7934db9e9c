"""Language models that judge a campaign, as raters or as in the paper.

The modes are never pooled.

- `judges`: a researcher's actions on a judge, and its expected cost.
- `judge_runs`: how workers run a judge. `draw_requests`: how each answer is requested only once.
- `judge_prompts`: a rater's page as a prompt. `paper_questions`: a whole game.
- `reply_parsing`: the strict parsing of replies.
- `criteria`: the paper's scores of a whole game.
- `concordance`: judges compared with people, for the statistics.
"""
