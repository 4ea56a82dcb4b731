import { expect, test } from 'vitest'
import { withQuery } from './lists.ts'

test('only fields that are set become a query', () => {
  expect(withQuery('/v1/audio/voices', {})).toBe('/v1/audio/voices')
  expect(withQuery('/v1/audio/voices', { limit: undefined, status: null })).toBe('/v1/audio/voices')
  expect(withQuery('/v1/audio/voices', { limit: 0, after: '' })).toBe('/v1/audio/voices?limit=0&after=')
})

test('no value can add a field or end the query', () => {
  const path = withQuery('/v1/audio/voices', { after: 'a&limit=1#x y/é', status: '+' })
  const url = new URL(`http://localhost${path}`)
  expect(url.hash).toBe('')
  expect([...url.searchParams]).toEqual([
    ['after', 'a&limit=1#x y/é'],
    ['status', '+'],
  ])
})
