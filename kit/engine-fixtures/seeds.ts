import { configureGlobal } from 'fast-check'
import { beforeEach } from 'vitest'
import { HAS_RANDOM_SEEDS, newSeed, SEED } from './random.ts'

// Vitest loads it before each test file. fast-check prints the seed of a property that fails.
configureGlobal({ seed: SEED })
// A run with random seeds may repeat its tests: each repetition has other cases.
if (HAS_RANDOM_SEEDS) beforeEach(() => configureGlobal({ seed: newSeed() }))
