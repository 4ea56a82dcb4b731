import { expect, test } from 'vitest'
import { checkFields } from './fields.ts'

test('a refused field is named by its path, with dots between the parts', async () => {
  const validate = () => ({ issues: [{ message: 'too short', path: ['speaker', { key: 'name' }] }] })
  const schema = { '~standard': { version: 1, vendor: 'test', validate } } as const
  await expect(checkFields(schema, {})).rejects.toMatchObject({
    code: 'invalid_fields',
    message: 'Correct these fields. speaker.name: too short',
    issues: [{ field: 'speaker.name', message: 'too short' }],
  })
})
