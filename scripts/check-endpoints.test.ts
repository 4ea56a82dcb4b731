import { expect, test } from 'vitest'
import { type EndpointSources, findEndpointFaults } from './endpoints/faults.ts'

const sources: EndpointSources = {
  families: new Set(['file-listing']),
  page: (path) => (path === 'docs/page.md' ? 'Probes call `/healthz`.' : undefined),
  tests: "await fetch(url + '/v1/files/abc')\nawait fetch(url + '/healthz')",
}

test('an endpoint with a test and a rule, or with a test and a page, has no fault', () => {
  const endpoints = {
    'GET /v1/files/:file_id': { rules: ['file-listing'] },
    'GET /healthz': { rules: { page: 'docs/page.md' } },
  }
  expect(findEndpointFaults(endpoints, sources)).toEqual([])
})

test('an endpoint without a test is a fault', () => {
  expect(findEndpointFaults({ 'GET /v1/audio/ping': { rules: ['file-listing'] } }, sources)).toEqual([
    'GET /v1/audio/ping has no test: call /v1/audio/ping in apps/service/test',
  ])
})

test('an endpoint without rules, or with unknown ones, is a fault', () => {
  expect(findEndpointFaults({ 'GET /v1/files': { rules: [] } }, sources)).toHaveLength(1)
  expect(findEndpointFaults({ 'GET /v1/files': { rules: ['pings'] } }, sources)).toEqual([
    'GET /v1/files names the unknown rules pings: see docs/rules.json',
  ])
})

test('an addition that its page does not name is a fault, and so is a missing page', () => {
  const fault = (page: string) => findEndpointFaults({ 'GET /v1/files': { rules: { page } } }, sources)
  expect(fault('docs/page.md')).toEqual(['GET /v1/files is not documented: name /v1/files in docs/page.md'])
  expect(fault('docs/missing.md')).toHaveLength(1)
})
