// #region semaphore
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Semaphore } from '@svc-audio/core'
import type { Redis } from 'ioredis'

/** Takes a free place. Removes the places of dead processes. */
const ACQUIRE = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[3])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
return 1`

const LEASE_MS = 30_000

/** Limits the billable calls of every process that uses the same key of a Redis server. */
export function sharedSemaphore(redis: Redis, places: number, key = 'audio:calls'): Semaphore {
  return {
    async acquire(signal) {
      const id = randomUUID()
      while ((await redis.eval(ACQUIRE, 1, key, Date.now(), places, LEASE_MS, id)) === 0) {
        await delay(50 + Math.random() * 50, undefined, { signal })
      }
      // A running process renews its place. A dead process loses its place after the lease.
      const renew = setInterval(() => void redis.zadd(key, 'XX', Date.now(), id).catch(() => {}), LEASE_MS / 3)
      return () => {
        clearInterval(renew)
        redis.zrem(key, id).catch(() => {})
      }
    },
  }
}
// #endregion
