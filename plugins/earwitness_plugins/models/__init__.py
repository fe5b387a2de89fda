"""Language models: one client with budgets, retries, prices and cassettes, for any server that speaks as OpenAI's.

What uses a model needs: `client.ModelClient`, `accounts.Account`, `prompts.ModelPrompt`, `errors.ModelError`;
and `host_account.host_account` for what a host or command asks in a story.
"""
