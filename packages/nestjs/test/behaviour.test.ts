import {
  Body,
  type CanActivate,
  Controller,
  Get,
  HttpCode,
  HttpException,
  Injectable,
  Param,
  Post,
  Query,
  RequestMethod,
  Sse,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common'
import { AudioClient, type Task } from '@svc-audio/core'
import {
  BEHAVIOUR_ROWS,
  type BehaviourRow,
  type Bridge,
  type ExpressApp,
  GUARD_ROW,
  type InjectableApp,
  injecting,
  ROWS_WITHOUT_SOCKET,
  startBehaviourService,
  startBridge,
  termsOf,
  WEBHOOK_SECRET,
  WITHOUT_SOCKET,
} from '@svc-audio/kit/behaviour'
import { from, map } from 'rxjs'
import { describe, expect, test } from 'vitest'
import {
  AudioGatewayError,
  AudioModule,
  AudioWebhooks,
  AudioWebhooksModule,
  DisconnectSignal,
  ForwardUploadInterceptor,
  OnAudioTask,
  playResult,
  type ReceivedUpload,
  speechEvents,
  speechFile,
  TranscribeUploadInterceptor,
  Transcription,
  TranscriptionStream,
  TranscriptionTask,
  Upload,
  UploadResult,
} from '../src/index.ts'
import { type Platform, PLATFORMS, startApp, type TestApp } from './support/app.ts'

@Injectable()
class Handlers {
  readonly handled: string[] = []

  @OnAudioTask()
  done({ id }: Task): void {
    this.handled.push(id)
  }
}

class Guard implements CanActivate {
  canActivate(): never {
    throw new UnauthorizedException()
  }
}

@Controller()
class Routes {
  constructor(private readonly audio: AudioClient) {}

  @Post('transcribe')
  @HttpCode(200)
  @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0', maxFileSize: 100_000 }))
  transcribe(@Transcription() transcription: Transcription): Transcription {
    return transcription
  }

  @Post('answer')
  @HttpCode(200)
  @UseInterceptors(TranscribeUploadInterceptor({ body: termsOf }))
  answer(@Transcription() { text }: Transcription, @Upload() upload: ReceivedUpload): object {
    return { text, upload }
  }

  @Post('quick')
  @HttpCode(200)
  @UseInterceptors(TranscribeUploadInterceptor({ timeout: 1000 }))
  quick(@Transcription() transcription: Transcription): Transcription {
    return transcription
  }

  @Sse('live', { method: RequestMethod.POST })
  @UseInterceptors(TranscribeUploadInterceptor({ respond: 'sse' }))
  live(@TranscriptionStream() events: TranscriptionStream) {
    return from(events).pipe(map((data) => ({ data })))
  }

  @Post('task')
  @HttpCode(202)
  @UseInterceptors(TranscribeUploadInterceptor({ respond: 'task' }))
  task(@TranscriptionTask() { id }: TranscriptionTask): object {
    return { id }
  }

  @Post('quota')
  @UseInterceptors(
    TranscribeUploadInterceptor({
      maxFileSize: () => {
        throw new HttpException('no plan', 402)
      },
    }),
  )
  quota(): void {}

  @Post('guarded')
  @UseGuards(new Guard())
  @UseInterceptors(TranscribeUploadInterceptor())
  guarded(): void {}

  @Post('files')
  @HttpCode(200)
  @UseInterceptors(
    ForwardUploadInterceptor({ call: ({ file, options }, { client }) => client.files.create({ file }, options) }),
  )
  files(@UploadResult() file: object): object {
    return file
  }

  @Get('speak')
  said(@Query('text') text: unknown, @DisconnectSignal() signal: AbortSignal) {
    return this.#speak(text, signal)
  }

  @Post('speak')
  @HttpCode(200)
  say(@Body('text') text: unknown, @DisconnectSignal() signal: AbortSignal) {
    return this.#speak(text, signal)
  }

  @Post('pcm')
  @HttpCode(200)
  pcm(@Body('text') input: string, @DisconnectSignal() signal: AbortSignal) {
    return speechFile(() => this.audio.speech.stream({ model: 'svc-tts-1.5-flash', input }, { signal }))
  }

  @Post('events')
  @HttpCode(200)
  events(@Body('text') input: string, @DisconnectSignal() signal: AbortSignal) {
    return speechEvents(() => this.audio.speech.stream({ model: 'svc-tts-1.5-flash', input }, { signal }))
  }

  @Get('play/:id')
  play(@Param('id') task: string) {
    return playResult({ client: this.audio, task })
  }

  #speak(text: unknown, signal: AbortSignal) {
    if (typeof text !== 'string') {
      throw new AudioGatewayError({ status: 400, code: 'missing_text', message: 'Send `text`' })
    }
    const body = { model: 'svc-tts-1.5-flash', voice_id: 'rms', input: text }
    return speechFile(() => this.audio.speech.create(body, { signal }))
  }
}

/** Observes a row in an app of its own. @param reach Where the app is reached. @default its socket */
async function observed(
  { observe }: BehaviourRow,
  platform: Platform,
  reach?: (app: TestApp) => Promise<Bridge>,
): Promise<unknown> {
  await using service = await startBehaviourService()
  const { apiKey, url: baseUrl } = service.upstream
  const app = await startApp(platform, {
    imports: [
      AudioModule.forRoot({ apiKey, baseUrl, maxRetries: 0, isGlobal: true }),
      AudioWebhooksModule.forRoot({ path: 'hooks', url: 'https://app.example/hooks', secret: WEBHOOK_SECRET }),
    ],
    controllers: [Routes],
    providers: [Handlers],
  })
  const callback = async (): Promise<string> => (await app.nest.get(AudioWebhooks).createCallback()).url
  const handled = (): readonly string[] => app.nest.get(Handlers).handled
  const bridge = await reach?.(app)
  try {
    return await observe({ ...service, url: bridge?.url ?? app.url, callback, handled })
  } finally {
    await bridge?.[Symbol.asyncDispose]()
    await app.close()
  }
}

describe.each(PLATFORMS)('on %s', (platform) => {
  test.each([...BEHAVIOUR_ROWS, GUARD_ROW])('$fact', async (row) =>
    expect(await observed(row, platform)).toEqual(row.expected),
  )
})

describe.each(Object.entries(WITHOUT_SOCKET))('on Express without a socket, behind %s', (_name, reach) => {
  test.each(ROWS_WITHOUT_SOCKET)('$fact', async (row) => {
    const reached = ({ nest }: TestApp): Promise<Bridge> => reach(nest.getHttpAdapter().getInstance() as ExpressApp)
    expect(await observed(row, 'Express', reached)).toEqual(row.expected)
  })
})

describe('on Fastify without a socket, by inject()', () => {
  test.each(ROWS_WITHOUT_SOCKET)('$fact', async (row) => {
    const reached = async ({ nest }: TestApp): Promise<Bridge> => {
      const fastify = nest.getHttpAdapter().getInstance() as InjectableApp
      return startBridge(injecting((options) => fastify.inject(options)))
    }
    expect(await observed(row, 'Fastify', reached)).toEqual(row.expected)
  })
})
