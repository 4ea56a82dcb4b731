import { Writable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'

/** A log of this level, and its written lines. */
export function writtenLog(level: string): { log: FastifyBaseLogger; lines: () => Record<string, unknown>[] } {
  const written: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString())
      done()
    },
  })
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { log: pino({ level }, stream), lines }
}
