"""An author who reversed a rule can see it here."""
