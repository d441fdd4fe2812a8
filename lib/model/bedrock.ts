// A language model of Amazon Bedrock, by the Converse API. The client sends nothing twice by itself: who asks knows what a question costs.
import { type BedrockRuntimeClient, ConverseCommand, type ToolInputSchema } from '@aws-sdk/client-bedrock-runtime';
import type { Model } from '../ingest/describe/model.ts';

export interface BedrockModelOptions {
  readonly client: Pick<BedrockRuntimeClient, 'send'>;
  /** The id of a model or of an inference profile. */
  readonly model: string;
}

/** Throws what the SDK throws. */
export const createBedrockModel = ({ client, model }: BedrockModelOptions): Model => ({
  id: model,
  ask: async ({ system, user, tool, maxTokens, signal }) => {
    // The SDK types JSON narrower than a schema is typed.
    const json = tool.schema as unknown as ToolInputSchema.JsonMember['json'];
    const { name, description } = tool;
    const command = new ConverseCommand({
      modelId: model,
      system: [{ text: system }],
      messages: [{ role: 'user', content: [{ text: user }] }],
      inferenceConfig: { maxTokens, temperature: 0 },
      // There is one tool: more models know `any` than a tool by name.
      toolConfig: { tools: [{ toolSpec: { name, description, inputSchema: { json } } }], toolChoice: { any: {} } },
    });
    const { output, usage } = await client.send(command, signal === undefined ? {} : { abortSignal: signal });
    const used = output?.message?.content?.find(({ toolUse }) => toolUse?.name === name)?.toolUse;
    return { input: used?.input, inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 };
  },
});
