/** An app with GraphQL, a socket.io gateway and uploads side by side, as a user writes it. */
export const CONTEXT_APP = `
import 'reflect-metadata';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Controller, Get, Module, Post, UseFilters, UseInterceptors } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { AudioClient } from '@svc-audio/core';
import { AudioExceptionFilter, AudioModule, TranscribeUploadInterceptor, Transcription } from '@svc-audio/nestjs';

const speech = { model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'Hello' };

@Resolver()
class Talk {
  constructor(private readonly audio: AudioClient) {}

  @Query(() => String)
  async speak(): Promise<string> {
    return String((await (await this.audio.speech.create(speech, { maxRetries: 0 })).bytes()).length);
  }

  @Query(() => String)
  @UseInterceptors(TranscribeUploadInterceptor())
  upload(): string {
    return 'unreachable';
  }
}

@WebSocketGateway()
@UseFilters(AudioExceptionFilter)
class Gateway {
  constructor(private readonly audio: AudioClient) {}

  @SubscribeMessage('speak')
  async speak(@MessageBody() _data: unknown): Promise<number> {
    return (await (await this.audio.speech.create(speech, { maxRetries: 0 })).bytes()).length;
  }

  @SubscribeMessage('upload')
  @UseInterceptors(TranscribeUploadInterceptor())
  upload(): void {}
}

@Controller()
class Uploads {
  @Get()
  hello(): string {
    return 'hello';
  }

  @Post('transcribe')
  @UseInterceptors(TranscribeUploadInterceptor())
  transcribe(@Transcription() { text }: Transcription): { text: string } {
    return { text };
  }
}

@Module({
  imports: [
    AudioModule.forRoot({ isGlobal: true }),
    GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true, path: '/graphql' }),
  ],
  controllers: [Uploads],
  providers: [Talk, Gateway, { provide: APP_FILTER, useClass: AudioExceptionFilter }],
})
class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  console.log('listening ' + (await app.getUrl()));
}
void main();
`
