import { type DynamicModule, Module } from '@nestjs/common'
import { ConfigModule, ConfigService } from '@nestjs/config'
import { EventEmitterModule } from '@nestjs/event-emitter'
import { TerminusModule } from '@nestjs/terminus'
import { AudioModule, AudioWebhookModule } from '@svc-audio/nestjs'
import { AudioHealthIndicator } from '@svc-audio/nestjs/terminus'
import { AudioController } from './audio.controller.ts'
import { HealthController } from './health.controller.ts'
import { QueueModule } from './queue.module.ts'
import { StoredFilesController } from './stored-files.controller.ts'
import { Archive, TaskEvents } from './task-events.ts'

/** The whole app. The configuration sets keys, limits and models. */
@Module({})
export class AppModule {
  static forRoot(environment: Readonly<Record<string, unknown>>): DynamicModule {
    const redisUrl = environment['REDIS_URL']
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [() => environment] }),
        EventEmitterModule.forRoot(),
        TerminusModule,
        AudioModule.forRootAsync({
          isGlobal: true,
          inject: [ConfigService],
          useFactory: (config: ConfigService) => ({
            apiKey: config.getOrThrow<string>('AUDIO_KEY'),
            baseUrl: config.getOrThrow<string>('AUDIO_URL'),
            // Callbacks go to this machine.
            allowPrivateUrls: true,
            uploads: { model: 'svc-transcribe-1.0', maxFileSize: config.get<number>('MAX_UPLOAD') ?? 100_000_000 },
          }),
        }),
        AudioWebhookModule.forRootAsync({
          inject: [ConfigService],
          useFactory: (config: ConfigService) => ({
            url: config.getOrThrow<string>('WEBHOOK_URL'),
            secret: config.getOrThrow<string>('WEBHOOK_SECRET'),
          }),
        }),
        ...(typeof redisUrl === 'string' ? [QueueModule.forRoot(redisUrl)] : []),
      ],
      controllers: [AudioController, StoredFilesController, HealthController],
      providers: [AudioHealthIndicator, TaskEvents, Archive],
    }
  }
}
