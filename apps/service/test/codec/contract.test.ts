import { codecContract, type CodecSubject } from '@svc-audio/engine-ports/contract'
import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../src/domain/formats.ts'
import { createCodec } from '../../src/drivers/codec/create-codec.ts'

describe('the bundled codec keeps the contract', () => {
  const subject: CodecSubject = { create: () => createCodec(), formats: FORMATS }
  test.each(codecContract)('$name', ({ run }) => expect(run(subject)).resolves.toBeUndefined())
})
