import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { defineConfig } from 'vitest/config'

/** The stream plays for minutes and needs little processor time: it goes first, and the others run beside it. */
class StreamFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sequence = super.sort.bind(this)
    const sorted = await sequence(files)
    return [...sorted.filter((file) => isStream(file)), ...sorted.filter((file) => !isStream(file))]
  }
}

function isStream({ moduleId }: TestSpecification): boolean {
  return moduleId.endsWith('/stream.test.ts')
}

// Separate from the other tests: these need Chromium.
export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    include: ['test/browser/**/*.test.ts'],
    maxWorkers: 2,
    sequence: { sequencer: StreamFirst },
  },
})
