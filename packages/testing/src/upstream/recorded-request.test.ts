import { expect, test } from 'vitest'
import { matchRoute, ROUTES } from './recorded-request.ts'

test.each(ROUTES)('%s matches a request with its path', (route) => {
  const [method = '', path = ''] = route.split(' ')
  const id = path.includes('{') ? 'object-1' : ''
  expect(matchRoute(method, path.replace(/\{\w+\}/, 'object-1'))).toMatchObject({ route, id })
})

test('a path with several methods lists them for another method', () => {
  expect(matchRoute('PUT', '/v1/files')).toEqual({ id: '', methods: ['POST', 'GET'] })
  expect(matchRoute('POST', '/v1/files/file-1')).toEqual({ id: '', methods: ['GET', 'DELETE'] })
  expect(matchRoute('DELETE', '/v1/models')).toEqual({ id: '', methods: ['GET'] })
})

test.each([
  '/',
  '/v1',
  '/v1/audio/speech/',
  '/v1/audio/speech/other',
  '/V1/audio/speech',
  '/v1/files/a/b',
  '/v1/files/',
  '/v2/models',
  '/prefix/v1/models',
])('%s matches no endpoint', (path) => {
  expect(matchRoute('GET', path)).toEqual({ id: '', methods: [] })
})

test('an id stays as it is in the path', () => {
  expect(matchRoute('GET', '/v1/audio/tasks/task%2F1.a-b').id).toBe('task%2F1.a-b')
})
