"""Ledgers: the transactional book of a store of stories."""
