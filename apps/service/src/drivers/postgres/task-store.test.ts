import { expect, test } from 'vitest'
import { UnansweredClaims } from './task-store.ts'

/** A queue whose claims may get no response. */
function queue() {
  const held = new Set<string>()
  const returned: string[][] = []
  const state = { now: 0, held, returned }
  const claims = new UnansweredClaims(
    async (ids) => {
      returned.push([...ids])
      const found = ids.filter((id) => held.delete(id))
      return found
    },
    () => state.now,
  )
  const lose = async (arrives: boolean): Promise<string> => {
    let given = ''
    const claim = claims.claim(async (id) => {
      given = id
      if (arrives) held.add(id)
      throw new Error('Connection terminated')
    })
    await expect(claim).rejects.toThrow('Connection terminated')
    return given
  }
  return { ...state, state, claims, lose }
}

test('an answered claim is not returned', async () => {
  const { claims, returned } = queue()
  expect(await claims.claim(async () => 1)).toBe(1)
  expect(await claims.claim(async () => 2)).toBe(2)
  expect(returned).toEqual([])
})

test('a claim without a response is returned once, before the next claim', async () => {
  const { claims, held, returned, lose } = queue()
  const lost = await lose(true)
  await claims.claim(async () => expect(held.size).toBe(0))
  await claims.claim(async () => undefined)
  expect(returned).toEqual([[lost]])
})

test('a claim that arrives late is looked for at each claim of a minute', async () => {
  const { claims, held, returned, state, lose } = queue()
  const lost = await lose(false)
  await claims.claim(async () => undefined)
  held.add(lost)
  state.now = 59_999
  await claims.claim(async () => expect(held.size).toBe(0))
  const never = await lose(false)
  state.now = 119_999
  await claims.claim(async () => undefined)
  await claims.claim(async () => undefined)
  expect(returned).toEqual([[lost], [lost], [never]])
})

test('a failed return makes the claim fail, and is repeated', async () => {
  let works = false
  const returned: number[] = []
  const claims = new UnansweredClaims(async (ids) => {
    if (!works) throw new Error('No database')
    returned.push(ids.length)
    return ids
  })
  const fail = () => Promise.reject(new Error('Connection terminated'))
  await expect(claims.claim(fail)).rejects.toThrow('Connection terminated')
  await expect(claims.claim(async () => 1)).rejects.toThrow('No database')
  works = true
  expect(await claims.claim(async () => 1)).toBe(1)
  expect(returned).toEqual([1])
})
