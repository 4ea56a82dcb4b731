import { BullModule } from '@nestjs/bullmq'
import { Controller, type DynamicModule, Get, Module } from '@nestjs/common'
import { ConfigModule, ConfigService } from '@nestjs/config'
import { EventEmitterModule } from '@nestjs/event-emitter'
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus'
import { AudioModule, AudioWebhooksModule } from '@svc-audio/nestjs'
import { AudioHealthIndicator } from '@svc-audio/nestjs/terminus'
import { AudioController } from './audio.controller.ts'
import { StoredFilesController } from './stored-files.controller.ts'
import { Archive, TaskEvents } from './task-events.ts'
import { TranscriptsProcessor } from './transcripts.processor.ts'

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
        AudioWebhooksModule.forRootAsync({
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

/** The queue, for apps with a Redis server. */
@Module({})
class QueueModule {
  static forRoot(url: string): DynamicModule {
    return {
      module: QueueModule,
      imports: [
        BullModule.forRoot({ connection: { url } }),
        BullModule.registerQueue({
          name: 'transcripts',
          // A worker ends its waits at shutdown. The next attempt resumes them.
          defaultJobOptions: { attempts: 5, backoff: { type: 'exponential', delay: 100 } },
        }),
      ],
      providers: [TranscriptsProcessor],
      exports: [BullModule],
    }
  }
}

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly audio: AudioHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.audio.isHealthy('audio')])
  }
}
