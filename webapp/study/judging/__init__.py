"""Language models that judge a campaign, as raters or as in the paper. They are never pooled."""
