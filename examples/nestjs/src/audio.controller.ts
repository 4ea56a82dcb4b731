import { BadRequestException, Controller, Get, Post, Query, RequestMethod, Sse, UseInterceptors } from '@nestjs/common'
import { AudioClient, type Voice } from '@svc-audio/core'
import {
  DisconnectSignal,
  ForwardUploadInterceptor,
  speechFile,
  TranscribeUploadInterceptor,
  Transcription,
  TranscriptionStream,
  UploadResult,
} from '@svc-audio/nestjs'
import { from, map } from 'rxjs'

/** Audio in and out. Limits and model come from the configuration. */
@Controller()
export class AudioController {
  constructor(private readonly audio: AudioClient) {}

  @Get('speak')
  speak(@Query('text') input: string, @DisconnectSignal() signal: AbortSignal) {
    const body = { model: 'svc-tts-1.5-flash', input, voice_id: 'rms', response_format: 'wav' }
    return speechFile(() => this.audio.speech.create(body, { signal, maxRetries: 0 }))
  }

  @Post('transcribe')
  @UseInterceptors(TranscribeUploadInterceptor())
  transcribe(@Transcription() { text }: Transcription) {
    return { text }
  }

  // #region live
  @Sse('transcribe/live', { method: RequestMethod.POST })
  @UseInterceptors(TranscribeUploadInterceptor({ respond: 'sse', model: 'svc-transcribe-diarize-pro' }))
  live(@TranscriptionStream() events: TranscriptionStream) {
    return from(events).pipe(map((data) => ({ data })))
  }
  // #endregion

  // #region voices
  @Post('voices')
  @UseInterceptors(
    ForwardUploadInterceptor({
      maxFileSize: 20_000_000,
      call: async (upload, { client }) => {
        const name = upload.field('name')
        if (name === undefined) throw new BadRequestException('Send `name` before the file')
        return client.voices.create({ audio_sample: upload.file, name }, upload.options)
      },
    }),
  )
  createVoice(@UploadResult() voice: Voice) {
    return voice
  }
  // #endregion
}
