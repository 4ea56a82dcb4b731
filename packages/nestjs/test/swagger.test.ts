import { Controller, Post } from '@nestjs/common'
import { ApiProperty, DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { AUDIO_ERROR_SCHEMA } from '../src/index.ts'
import { ApiAudioUpload } from '../src/swagger/index.ts'
import { startApp } from './support/app.ts'

class MeetingDto {
  @ApiProperty({ type: String })
  title = ''
}

@Controller()
class Routes {
  @Post('plain')
  @ApiAudioUpload({ fileField: 'audio' })
  plain(): void {}

  @Post('schema')
  @ApiAudioUpload({ fields: z.strictObject({ title: z.string().min(1), seats: z.coerce.number().int().optional() }) })
  schema(): void {}

  @Post('meeting')
  @ApiAudioUpload({ fields: MeetingDto })
  meeting(): void {}
}

test('an OpenAPI document has the form of an upload, its text fields and its failures', async () => {
  const app = await startApp('Express', { controllers: [Routes] })
  const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build())
  await app.close()
  const plain = document.paths['/plain']?.post
  const binary = { type: 'string', format: 'binary' }
  expect(plain?.requestBody).toEqual({
    required: true,
    content: {
      'multipart/form-data': { schema: { type: 'object', required: ['audio'], properties: { audio: binary } } },
    },
  })
  expect(Object.keys(plain?.responses ?? {})).toEqual(expect.arrayContaining(['400', '413', '415', '429', '503']))
  expect(plain?.responses['413']).toEqual({
    description: 'The file or the form is too large',
    content: { 'application/json': { schema: AUDIO_ERROR_SCHEMA } },
  })
  expect(document.paths['/meeting']?.post?.requestBody).toMatchObject({
    description: 'The text fields stand before the file.',
    content: {
      'multipart/form-data': {
        schema: { allOf: [{ $ref: '#/components/schemas/MeetingDto' }, { properties: { file: binary } }] },
      },
    },
  })
  expect(document.components?.schemas).toHaveProperty('MeetingDto')
})

test('an OpenAPI document has the text fields of a Standard Schema beside the file', async () => {
  const app = await startApp('Express', { controllers: [Routes] })
  const document = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build())
  await app.close()
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { title: { type: 'string', minLength: 1 }, seats: {}, file: { type: 'string', format: 'binary' } },
    required: ['title', 'file'],
  }
  expect(document.paths['/schema']?.post?.requestBody).toMatchObject({ content: { 'multipart/form-data': { schema } } })
})

test('fields that an OpenAPI document cannot have are refused with the remedy', () => {
  const silent = { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: {} }) } }
  for (const fields of [silent, 'title', {}]) {
    expect(() => ApiAudioUpload({ fields } as never)).toThrow('`fields` must be a class with `@ApiProperty()`')
  }
  expect(() => ApiAudioUpload({ fields: z.object({ at: z.date() }) })).toThrow('Describe the body with `@ApiBody()`')
})

test('a wrong option of ApiAudioUpload is refused by name', () => {
  expect(() => ApiAudioUpload({ filefield: 'a' } as never)).toThrow('did you mean `fileField`?')
})
