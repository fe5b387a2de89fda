"""Words as searches, detectors and backstage questions see them.

Fold case and accents, light English stemming, stop words; CJK as single characters and bigrams (FACTS: `porter` and
`unicode61` find no CJK word inside a sentence). Pure and without state.
"""
