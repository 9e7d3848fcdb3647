import fc from "fast-check";

/**
 * Generated input is the same in every run, so that a change fails by its own fault only. `npm run nightly` looks for
 * what other input brings to light, with a FUZZING_SEED for each round.
 */
fc.configureGlobal({ seed: Number(process.env.FUZZING_SEED ?? 20_261_122) });
