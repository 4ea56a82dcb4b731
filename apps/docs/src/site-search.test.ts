import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { weightOf } from './site-search.ts'

test('a guide counts more in the search than a code of an error, and that more than a page that a program writes', () => {
  const weights = [
    '/guides/tls-proxy#x',
    '/errors#rate_limited',
    '/internals/rules',
    '/api/core/index/classes/ApiError',
  ]
  const found = weights.map(weightOf)
  expect(found).toEqual(found.toSorted((left, right) => right - left))
  expect(new Set(found).size).toBe(weights.length)
})

test('the browser gets the weights as text: they use nothing from outside', () => {
  const revived: unknown = runInNewContext(`(${weightOf.toString()})`)
  expect(typeof revived === 'function' && revived('/api/core')).toBe(weightOf('/api/core'))
})
