import { Controller, Post } from '@nestjs/common'
import { ApiProperty, DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { expect, test } from 'vitest'
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

test('a wrong option of ApiAudioUpload is refused by name', () => {
  expect(() => ApiAudioUpload({ filefield: 'a' } as never)).toThrow('did you mean `fileField`?')
})
