/** Files that a user adds to a new app: a route that transcribes an upload, a route that speaks, and the module. */
export const APP_FILES: Readonly<Record<string, string>> = {
  'src/app.module.ts': `
import { Module } from '@nestjs/common';
import { AudioModule } from '@svc-audio/nestjs';
import { AppController } from './app.controller';
import { AppService } from './app.service';

@Module({
  imports: [AudioModule.forRoot()],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
`,
  'src/app.controller.ts': `
import { Controller, Get, Post, UseInterceptors } from '@nestjs/common';
import { AudioClient } from '@svc-audio/core';
import { speechFile, TranscribeUploadInterceptor, Transcription } from '@svc-audio/nestjs';
import { AppService } from './app.service';

@Controller()
export class AppController {
  constructor(
    private readonly appService: AppService,
    private readonly audio: AudioClient,
  ) {}

  @Get()
  getHello(): string {
    return this.appService.getHello();
  }

  @Get('speak')
  speak() {
    return speechFile(() => this.audio.speech.create({ model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'Hello' }));
  }

  @Post('transcribe')
  @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }))
  transcribe(@Transcription() { text }: Transcription): { text: string } {
    return { text };
  }
}
`,
  'src/app.controller.spec.ts': `
import { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ApiError, AudioClient, SvcAudioError } from '@svc-audio/core';
import { narrate } from '@svc-audio/core/text';
import { subtitles } from './subtitles';
import { getAudioClientToken } from '@svc-audio/nestjs';
import { createTestUpstream, TestUpstream, uploadForm, wavFile } from '@svc-audio/testing';
import request from 'supertest';
import { AppModule } from './app.module';

describe('AppController', () => {
  let app: INestApplication;
  let upstream: TestUpstream;

  beforeEach(async () => {
    upstream = await createTestUpstream({ apiKey: 'key', transcript: 'hello from the upstream' });
    const moduleFixture = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(getAudioClientToken())
      .useValue(new AudioClient({ apiKey: 'key', baseUrl: upstream.url, maxRetries: 0 }))
      .compile();
    app = moduleFixture.createNestApplication();
    await app.listen(0, '127.0.0.1');
  });

  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  it('transcribes an upload', async () => {
    const response = await fetch((await app.getUrl()) + '/transcribe', { method: 'POST', body: uploadForm(wavFile(1000)) });
    expect(await response.json()).toEqual({ text: 'hello from the upstream' });
    expect(response.status).toBe(201);
  });

  it('refuses an upload without a file', async () => {
    const response = await request(app.getHttpServer()).post('/transcribe').field('title', 'none');
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ errorCode: 'missing_file' });
  });

  it('speaks', async () => {
    const response = await request(app.getHttpServer()).get('/speak');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('audio/mpeg');
  });

  it('knows the errors of the client, and the entry points of the core', async () => {
    const error: unknown = await app.get(AudioClient).tasks.retrieve('unknown').catch((thrown: unknown) => thrown);
    expect(SvcAudioError.isInstance(error)).toBe(true);
    expect(error).toBeInstanceOf(ApiError);
    expect(subtitles()).toContain('WEBVTT');
    const input = '# Hello\\n\\nThis is **Markdown**.';
    let bytes = 0;
    for await (const chunk of await narrate(app.get(AudioClient), { model: 'svc-tts-1.5-flash', voice_id: 'rms', input })) {
      bytes += chunk.length;
    }
    expect(bytes).toBeGreaterThan(0);
  });
});
`,
  'src/subtitles.ts': `
import { toVtt } from '@svc-audio/core/subtitles';

export function subtitles(): string {
  return toVtt({ text: 'Hello', segments: [{ start: 0, end: 1, text: 'Hello', speaker: 'S01' }] });
}
`,
}
