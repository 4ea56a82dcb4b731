import { join } from 'node:path'
import { nodeBinary, type NodeMajor, run } from '@svc-audio/kit/hosts'
import { expect, test } from 'vitest'

// The behaviour table of each framework, over sockets and without them, on every supported Node. Vitest starts its
// workers on the Node that runs it.

const ROOT = join(import.meta.dirname, '../../..')

const TABLES = [
  'packages/express-middleware/test/behaviour.test.ts',
  'packages/nestjs/test/behaviour.test.ts',
  'packages/fastify/test/handlers.test.ts',
  'packages/hono/test/handlers.test.ts',
  'packages/hono/test/touched.test.ts',
]

test.each<NodeMajor>([22, 24, 26])('on Node %i every framework runs the behaviour table', async (major) => {
  const node = await nodeBinary(major)
  const { exitCode, stdout, stderr } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...TABLES], {
    cwd: ROOT,
    node,
  })
  expect({ exitCode, failures: exitCode === 0 ? '' : stdout + stderr }).toEqual({ exitCode: 0, failures: '' })
})
