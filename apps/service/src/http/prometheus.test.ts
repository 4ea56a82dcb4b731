import { describe, expect, test } from 'vitest'
import { parsePrometheus } from '../../test/support/telemetry.ts'
import { Metrics } from './prometheus.ts'

test('a metric without labels is 0 before its first event; one with labels has no sample', () => {
  const metrics = new Metrics('a_')
  metrics.counter('calls_total', 'Calls')
  metrics.gauge('open', 'Open files, by area', ['area'])
  expect(metrics.render()).toBe(
    '# HELP a_calls_total Calls\n# TYPE a_calls_total counter\na_calls_total 0\n\n' +
      '# HELP a_open Open files, by area\n# TYPE a_open gauge\n',
  )
})

test('a counter adds, a gauge has its last value, and labels stand in the order of the metric', () => {
  const metrics = new Metrics('')
  const calls = metrics.counter('calls_total', 'Calls', ['method', 'status'])
  const open = metrics.gauge('open', 'Open files')
  calls.add(2, { status: 200, method: 'GET' })
  calls.add(1, { method: 'GET', status: 200 })
  calls.set(7, { method: 'PUT', status: 404 })
  open.set(3)
  open.set(0.5)
  expect([...parsePrometheus(metrics.render())]).toEqual([
    ['calls_total{method="GET",status="200"}', 3],
    ['calls_total{method="PUT",status="404"}', 7],
    ['open', 0.5],
  ])
  expect(metrics.render()).toContain('\ncalls_total{method="GET",status="200"} 3\n')
})

test('a cleared metric has only what is set since', () => {
  const metrics = new Metrics('')
  const version = metrics.gauge('version_info', 'Version', ['version'])
  const open = metrics.gauge('open', 'Open files')
  version.setEach({ 1: 1, 2: 1 })
  open.set(3)
  version.clear()
  open.clear()
  version.set(1, { version: '3' })
  expect([...parsePrometheus(metrics.render())]).toEqual([
    ['version_info{version="3"}', 1],
    ['open', 0],
  ])
})

test('values from elsewhere are read for each render', () => {
  const metrics = new Metrics('')
  const open = metrics.gauge('open', 'Open files')
  let files = 0
  metrics.onRead(() => open.set((files += 1)))
  expect([metrics.render(), metrics.render()].map((text) => parsePrometheus(text).get('open'))).toEqual([1, 2])
})

describe('a histogram', () => {
  test('counts a value in each bucket whose bound it does not exceed', () => {
    const metrics = new Metrics('')
    metrics.histogram('seconds', 'Time', [0.1, 1], ['route']).observe([0.1, 0.11, 1, 5], { route: '/' })
    expect(metrics.render()).toBe(
      [
        '# HELP seconds Time',
        '# TYPE seconds histogram',
        'seconds_bucket{route="/",le="0.1"} 1',
        'seconds_bucket{route="/",le="1"} 3',
        'seconds_bucket{route="/",le="+Inf"} 4',
        'seconds_sum{route="/"} 6.21',
        'seconds_count{route="/"} 4',
        '',
      ].join('\n'),
    )
  })

  test('without labels has the label of its buckets only', () => {
    const metrics = new Metrics('')
    const seconds = metrics.histogram('seconds', 'Time', [1])
    seconds.observe([2])
    seconds.observe([0.5])
    expect([...parsePrometheus(metrics.render())]).toEqual([
      ['seconds_bucket{le="1"}', 1],
      ['seconds_bucket{le="+Inf"}', 2],
      ['seconds_sum', 2.5],
      ['seconds_count', 2],
    ])
  })

  test('without a value has no sample', () => {
    const metrics = new Metrics('')
    metrics.histogram('seconds', 'Time', [1], ['route']).observe([], { route: '/' })
    expect([...parsePrometheus(metrics.render())]).toEqual([])
  })
})

test('backslashes, quotes and ends of lines are escaped', () => {
  const metrics = new Metrics('')
  metrics.gauge('up', 'First\nsecond \\ "third"', ['name']).set(1, { name: 'a\\b "c"\nd' })
  expect(metrics.render()).toBe(
    String.raw`# HELP up First\nsecond \\ "third"` +
      '\n# TYPE up gauge\n' +
      String.raw`up{name="a\\b \"c\"\nd"} 1` +
      '\n',
  )
})

test('numbers without an end are written as Prometheus reads them', () => {
  const metrics = new Metrics('')
  metrics.gauge('up', 'Up', ['name']).setEach({ a: Infinity, b: -Infinity, c: Number.NaN, d: 1e21 })
  expect(
    metrics
      .render()
      .match(/(?<= )\S+$/gm)
      ?.slice(-4),
  ).toEqual(['+Inf', '-Inf', 'NaN', '1e+21'])
})
