/** How much an event has to matter. */

/** An event above it outlives its session until knowledge derives from it, and is ready for that once it is old enough. 0…1. */
export const IMPORTANCE_KEPT_ABOVE = 0.7
