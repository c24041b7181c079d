"""What the commands under `kubectl dra taint` do: from words to rules, the preview, and the writes that follow consent."""
