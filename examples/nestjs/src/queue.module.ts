import { BullModule } from '@nestjs/bullmq'
import { type DynamicModule, Module } from '@nestjs/common'
import { TranscriptsProcessor } from './transcripts.processor.ts'

/** The queue, for apps with a Redis server. */
@Module({})
export class QueueModule {
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
