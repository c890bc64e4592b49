"""The rules of Kings in the Corner: pure, total and deterministic."""
