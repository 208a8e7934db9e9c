"""Language models that judge a campaign, as raters or as in the paper, never pooled."""
