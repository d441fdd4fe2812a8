// The event by which one sweep has another do the rest of a shard, under one name for who sends it and for the rule that takes it up.
/** Not `millrace`, so that nobody who hears what is announced hears this too. */
export const sweepSource = 'millrace.sweep';
export const sweepDetailType = 'sweep.rest';
