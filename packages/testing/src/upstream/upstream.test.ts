import { describe, expect, test } from 'vitest'
import { status } from '../faults/status.ts'
import { Script } from './upstream.ts'

const SPEECH = 'POST /v1/audio/speech'
const MODELS = 'GET /v1/models'
const responses = Array.from({ length: 5 }, (_, index) => status(500 + index))
const [first, second, third, fourth, fifth] = responses

function scripted(): Script {
  const script = new Script()
  script.on('*', responses[0] ?? status(500))
  return script
}

describe('a response', () => {
  test('for an endpoint comes before one for every request', () => {
    const script = scripted()
    script.on(SPEECH, responses[1] ?? status(501))
    expect([script.take(SPEECH), script.take(MODELS), script.take(undefined)]).toEqual([second, first, first])
  })

  test('for the next request comes before one for all, and is used once', () => {
    const script = scripted()
    script.on(SPEECH, responses[1] ?? status(501))
    script.next('*', responses.slice(2, 3))
    script.next(SPEECH, responses.slice(3, 4))
    expect(Array.from({ length: 3 }, () => script.take(SPEECH))).toEqual([fourth, third, second])
  })

  test('of a later `next` comes after those of an earlier one', () => {
    const script = new Script()
    script.next(SPEECH, responses.slice(0, 2))
    script.next(SPEECH, responses.slice(4))
    expect(Array.from({ length: 4 }, () => script.take(SPEECH))).toEqual([first, second, fifth, undefined])
  })

  test('of a later `on` replaces the earlier one', () => {
    const script = scripted()
    script.on('*', responses[2] ?? status(502))
    expect([script.take(SPEECH), script.take(SPEECH)]).toEqual([third, third])
  })

  test('for one endpoint waits while others are requested', () => {
    const script = new Script()
    script.next(SPEECH, responses.slice(0, 1))
    expect([script.take(MODELS), script.take(undefined), script.take(SPEECH)]).toEqual([undefined, undefined, first])
  })
})

test('a reset clears every response, and later ones work', () => {
  const script = scripted()
  script.next(SPEECH, responses)
  script.reset()
  expect(script.take(SPEECH)).toBeUndefined()
  script.next(SPEECH, responses.slice(1, 2))
  expect(script.take(SPEECH)).toBe(second)
})
