"""What any third party can run against its own store, ledger or detector."""
