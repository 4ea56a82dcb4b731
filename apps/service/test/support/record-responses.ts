import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'
import { RESPONSES } from './described-responses.ts'

// Vitest loads it before each test file. Every response of a service in this process must be as its document says: only
// real responses show all of a route's statuses and fields. Some come from hooks, some from deep layers.
function watch(message: unknown): void {
  // The channel's message has these fields.
  const { fastify } = message as { readonly fastify: FastifyInstance }
  RESPONSES.watch(fastify)
}

// Test files share their process.
RESPONSES.clear()
subscribe('fastify.initialization', watch)

afterAll(() => {
  unsubscribe('fastify.initialization', watch)
  const faults = [...RESPONSES.faults]
  if (faults.length > 0) throw new Error(`Responses differ from their descriptions:\n${faults.join('\n')}`)
})
