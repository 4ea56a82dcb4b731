import { describe, expect, test } from 'vitest'
import type { RecordedRequest } from '../upstream/recorded-request.ts'
import { queryNumber, readFields, Refusal, requireList, requireTexts, textField } from './fields.ts'

const request = (parts: Partial<RecordedRequest>): RecordedRequest => parts as RecordedRequest
const ofForm = (fields: Record<string, string[]>) => readFields(request({ form: { fields, files: [] } }))

/** Status and error body of the refusal that a check throws. */
function refusal(check: () => unknown): unknown {
  try {
    check()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, body } = error.reply
    return { status, ...(typeof body === 'string' ? JSON.parse(body).error : {}) }
  }
  return undefined
}

describe('the fields of a body', () => {
  test('of JSON keep their types', () => {
    const json = { model: 'svc-x', stream: true, keyterms: ['Ada'], speed: 1.5, more: null }
    expect(readFields(request({ json }))).toEqual(json)
  })

  test('of a form get the types of the interface', () => {
    const fields = { model: ['svc-x'], stream: ['true'], async: ['false'], diarize: ['1'], keyterms: ['Ada', 'Bob'] }
    expect(ofForm(fields)).toEqual({
      model: 'svc-x',
      stream: true,
      async: false,
      diarize: false,
      keyterms: ['Ada', 'Bob'],
    })
  })

  test('of a form with repeated text are the first of each', () => {
    expect(ofForm({ model: ['first', 'second'], empty: [] })).toEqual({ model: 'first', empty: '' })
  })

  test.each([[['a list']], ['a text'], [1], [null], [undefined]])('cannot come from %j', (json) => {
    expect(refusal(() => readFields(request({ json })))).toMatchObject({ status: 400, code: 'invalid_body' })
  })

  test('of malformed JSON are refused with the reason', () => {
    const error = refusal(() => readFields(request({ malformed: 'Unexpected token' })))
    expect(error).toMatchObject({ code: 'invalid_body', message: 'Unexpected token' })
  })
})

describe('a required field', () => {
  test.each([[{}], [{ input: '' }], [{ input: ' \n' }], [{ input: 1 }], [{ input: null }]])(
    'of text is missing in %j',
    (fields) => {
      const error = refusal(() => requireTexts({ model: 'svc-x', ...fields }, 'model', 'input'))
      expect(error).toMatchObject({ status: 400, code: 'missing_required_field', param: 'input' })
    },
  )

  test.each([[{}], [{ segments: [] }], [{ segments: 'Hello' }], [{ segments: { 0: 'Hello' } }]])(
    'that is a list is missing in %j',
    (fields) => {
      expect(refusal(() => requireList(fields, 'segments'))).toMatchObject({ param: 'segments' })
    },
  )

  test('that is there is accepted', () => {
    expect(() => requireTexts({ model: 'svc-x', input: '.' }, 'model', 'input')).not.toThrow()
    expect(() => requireList({ segments: [null] }, 'segments')).not.toThrow()
  })
})

test('an optional text has its default when it is empty or no text', () => {
  const fields = { given: 'wav', empty: '', wrong: 1 }
  expect(['given', 'empty', 'wrong', 'absent'].map((name) => textField(fields, name, 'mp3'))).toEqual([
    'wav',
    'mp3',
    'mp3',
    'mp3',
  ])
})

describe('a number of the query', () => {
  const read = (text: string): number => queryNumber(new URLSearchParams(text), 'limit', 1, 150, 20)

  test('has limits, both included, and a default', () => {
    expect([read(''), read('limit=1'), read('limit=150'), read('limit=007')]).toEqual([20, 1, 150, 7])
  })

  test.each(['0', '151', '-1', '1.5', '1e2', '', ' 5', 'x', '0x10'])('is refused as %j', (value) => {
    const error = refusal(() => read(new URLSearchParams({ limit: value }).toString()))
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_range',
      param: 'limit',
      message: 'limit must be a whole number from 1 to 150',
    })
  })
})
