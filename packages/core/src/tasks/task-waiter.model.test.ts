import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Reply, WaiterWorld } from '../../test/support/waiter-model.ts'
import type { WaitOptions } from './task-watch.ts'

/** The model is part of the world, which knows after each command what must hold. */
type Step = fc.AsyncCommand<object, WaiterWorld>

function step(name: string, move: (world: WaiterWorld) => void | Promise<void>): Step {
  return {
    check: () => true,
    run: async (_, world) => {
      await move(world)
      await world.check()
      expect(world.faults).toEqual([])
    },
    toString: () => name,
  }
}

const ids = fc.constantFrom('a', 'b', 'c')
const seconds = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined })

const options: fc.Arbitrary<WaitOptions> = fc.record(
  {
    timeout: fc.integer({ min: 1, max: 60_000 }),
    pollInterval: fc.integer({ min: 1, max: 5000 }),
    notBefore: fc.integer({ min: 0, max: 10 }),
  },
  { requiredKeys: [] },
)

const replies: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('goes on' as const), retryAfter: seconds }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('passes' as const), retryAfter: seconds }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('cut', 'SUCCESS', 'FAILED', 'refused', 'garbage') }),
  },
)

/** Each kind of step, and how often it comes. */
const steps: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Step>])[] = [
  [
    4,
    fc
      .tuple(ids, options)
      .map(([id, one]) => step(`start(${id}, ${JSON.stringify(one)})`, (world) => world.start(id, one))),
  ],
  [
    6,
    fc.tuple(fc.nat(), replies).map(([index, reply]) =>
      step(`answer(${index}, ${JSON.stringify(reply)})`, (world) => {
        const reading = world.readings[index % Math.max(1, world.readings.length)]
        if (reading !== undefined) world.answer(reading, reply)
      }),
    ),
  ],
  [
    1,
    // Failures in a row are rare otherwise.
    fc.integer({ min: 1, max: 10 }).map((times) =>
      step(`cutAll(${times})`, async (world) => {
        for (let count = 0; count < times; count += 1) {
          for (const reading of Array.from(world.readings)) world.answer(reading, { kind: 'cut' })
          await world.advance(40_000)
        }
      }),
    ),
  ],
  [
    2,
    fc.nat().map((index) =>
      step(`abort(${index})`, (world) => {
        const wait = world.waits[index % Math.max(1, world.waits.length)]
        if (wait !== undefined) world.abort(wait)
      }),
    ),
  ],
  [2, ids.map((id) => step(`notify(${id})`, (world) => world.notify(id)))],
  [4, fc.integer({ min: 0, max: 30_000 }).map((time) => step(`advance(${time})`, (world) => world.advance(time)))],
  [1, fc.constant(step('close()', (world) => world.close({ closed: true })))],
]

test('whatever happens: no read too early, none too many, and every wait ends once, as it must', async () => {
  const commands = fc.commands(
    steps.flatMap(([weight, arbitrary]) => Array.from({ length: weight }, () => arbitrary)),
    { maxCommands: 100, size: 'max' },
  )
  const world = fc.record({ cap: fc.integer({ min: 1, max: 3 }), random: fc.constantFrom(0, 0.3, 0.999) })
  let ended = 0
  await fc.assert(
    fc.asyncProperty(world, commands, async ({ cap, random }, sequence) => {
      const real = new WaiterWorld(cap, () => random)
      await fc.asyncModelRun(() => ({ model: {}, real }), sequence)
      await real.finish()
      expect(real.faults).toEqual([])
      ended += real.waits.length
    }),
    { numRuns: 400 },
  )
  expect(ended).toBeGreaterThan(400)
})
