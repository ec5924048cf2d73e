//! How people speak in Portuguese.

use super::Sense::{
    Approval, Clarification, Correction, Direction, Idle, Lasting, Once, Praise, Rejection, Shield, TaskEnd, TaskStart, Why,
};
use super::{Row, Table, row};

pub(super) const TABLE: Table = Table { lists: LISTS, rows: ROWS };

const LISTS: &[(&str, &str)] = &[
    ("openers", "ok okay bom hm hmm ah oh eh e mas então olha oi olá opa ei ué desculpa desculpe por favor poxa puxa aí cara"),
    ("closers", "obrigado obrigada agora aqui por favor pf ok tá também aí valeu 👍 🙏"),
    (
        "fault",
        "esqueceu esqueceste omitiu pulou ignorou quebrou confundiu misturou duplicou inventou adivinou sobrescreveu perdeu trocou errou complicou \
         esquecido omitido pulado ignorado quebrado confundido misturado duplicado inventado deixou_de_fora deixou_passar entendeu_errado leu_errado \
         faltou",
    ),
    (
        "did",
        "usou criou adicionou apagou removeu deletou tirou mudou alterou modificou escreveu fez colocou pôs escolheu instalou importou renomeou moveu \
         chamou substituiu gerou copiou tocou mexeu desativou ativou deixou subiu comitou commitou mergeou formatou rodou retornou salvou refatorou \
         implementou botou pegou enviou usado criado adicionado apagado removido mudado alterado escrito feito colocado instalado importado",
    ),
    (
        "tasks",
        "adicione adiciona crie cria escreva escreve implemente implementa faça faz corrija corrige refatore refatora renomeie renomeia remova remove apague \
         apaga exclua busque busca procure procura encontre encontra mostre mostra explique explica resuma resume gere gera prepare prepara revise \
         revisa verifique verifica teste testa execute executa rode roda inicie suba abra abre leia traduza analise analisa otimize otimiza migre \
         migra investigue investiga olhe olha veja liste lista compare compara documente documenta mova move estenda instale instala configure \
         configura melhore melhora simplifique simplifica limpe limpa pare cancele redija substitua construa integre desenvolva converta extraia \
         meça planeje proponha desenhe ordene publique ajude atualize atualiza monte conecte divida separe coloque ajuste",
    ),
    (
        "inf",
        "adicionar criar escrever implementar fazer corrigir refatorar renomear remover apagar buscar procurar encontrar mostrar explicar resumir gerar preparar revisar verificar testar executar rodar olhar abrir ler traduzir analisar otimizar migrar comparar documentar mover instalar configurar melhorar simplificar limpar integrar desenvolver ajudar atualizar dar ver conferir subir me",
    ),
    (
        "acts",
        "use usa utilize utiliza ponha põe coloque coloca bote bota pegue pega faça faz escreva escreve nomeie chame chama rode roda execute teste testa \
         evite evita prefira prefere responda responde guarde guarda adicione adiciona passe passa crie cria abra abre pergunte pergunta revise respeite \
         siga segue valide documente deixe deixa mantenha mantém mude troque troca tire tira",
    ),
    ("place", "projeto repo repositório código time equipe empresa base codebase monorepo casa"),
    (
        "praise",
        "bom boa ótimo ótima perfeito excelente legal obrigado obrigada valeu quase bem massa show ok beleza lindo maravilha melhor certo bacana",
    ),
    (
        "bad",
        "errado errada incorreto incorreta equivocado obsoleto obsoleta desatualizado desnecessário desnecessária redundante invertido invertidos invertida trocados trocado quebrado inválido inconsistente enganoso falso ruim ao_contrário",
    ),
];

#[rustfmt::skip] // a row, a line
const ROWS: &[Row] = &[
    // ---- corrections: what the agent did
    row(Correction, 7, "você|vc|tu|cê .. .. @fault", "você esqueceu o índice"),
    row(Correction, 7, "^ .. @fault o|a|os|as|de|do|da|um|que|uma", "pulou o caso vazio"),
    row(Correction, 6, "você|vc|tu|cê .. .. @did", "você mudou a porta"),
    row(Correction, 7, "você|vc|cê acabou|acabaste|acaba de *", "você acabou de apagar a config"),
    row(Correction, 7, "de_novo|novamente|outra_vez|mais_uma_vez ... @did|fez|tocou", "de novo você mexeu no lockfile"),
    row(Correction, 7, "@did ... de_novo|novamente|outra_vez|mais_uma_vez", "mexeu no lockfile outra vez"),
    row(Correction, 7, "você|vc|cê continua|vive|fica|insiste|segue *ndo|em", "você continua adicionando comentários"),
    row(Correction, 7, "está|esta|tá .. chutando|adivinhando|inventando|ignorando|esquecendo|confundindo|misturando|supondo|assumindo|repetindo|complicando", "você está misturando duas branches"),
    row(Correction, 6, "você|vc|cê está|esta|tá *ndo ... não|mas|em_vez|deve|tem_que|deveria", "você está ordenando por data, deve ser por nome"),
    row(Correction, 7, "você|vc|cê deveria|devia|tinha|precisava|podia", "você deveria perguntar antes"),
    row(Correction, 7, "era|bastava|tinha para|só|pra|mudar|que", "era para mudar só o título"),
    row(Correction, 7, "não precisava|era_para|era_pra|devia|deveria|tinha_que|podia", "não precisava mexer nos estilos"),
    row(Correction, 6, "seu|sua|teu|tua .. .. está|é|quebra|falha|ignora|retorna|perde|não|esquece", "sua consulta retorna duplicados"),
    row(Correction, 6, "que você|vc @did ... não|quebra|falha|está|é|ignora|sobra|duplica", "o teste que você escreveu não serve"),
    row(Correction, 7, "não é|são|era ... , é|são|mas|era", "não é um erro, é uma opção"),
    row(Correction, 7, "quase ... mas|exceto|só +2", "está quase bom mas o total falha"),
    // ---- corrections: that is wrong
    row(Correction, 7, "está|esta|tá|é|são|estão|ficou|ficaram .. @bad", "isso está errado"),
    row(Correction, 8, "não|nem é|era|foi .. o|isso|assim|como .. que|pedi|queria|combinamos|combinado", "não é o que eu queria"),
    row(Correction, 8, "não .. o_que|combinado|pedido", "não foi o combinado"),
    row(Correction, 7, "^ isso|isto|esse|essa|este|esta|assim|aqui|aí não !importa|precisa|é_necessário|é_urgente|é_um_problema|tem_problema|é_grave", "isso não é seguro"),
    row(Correction, 6, "^ não assim|aí|aqui|no|na|nesse|nessa|em|com|esse|essa|ao|por +1", "não no controller"),
    row(Correction, 6, "não funciona|serve|compila|trata|existe|corresponde|bate|cobre ... nessa|neste|nesta|aqui|o|a|com|em|quando", "essa opção não existe nesta versão"),
    row(Correction, 6, "^ * errada|errado|incorreta|incorreto $", "branch errada"),
    row(Correction, 7, "é|era|são o|a|os|as|um|uma .. .. antigo|antiga|velho|velha|anterior|errado|errada|obsoleta", "essa é a API antiga"),
    row(Correction, 7, "eu pedi|falei|disse|queria|solicitei|especifiquei|mencionei|esperava !saber|perguntar|dizer", "eu pedi duas colunas"),
    row(Correction, 7, "^ pedi|falei|disse|queria !saber|perguntar|que_sim", "pedi um plano"),
    row(Correction, 7, "já|te lhe? te? disse|falei|pedi|expliquei|avisei|tinha_dito", "já falei sem cache"),
    row(Correction, 8, "quantas_vezes|pela_segunda_vez|pela_terceira_vez|pela_última_vez|pela_enésima_vez", "pela terceira vez: sem lodash"),
    row(Correction, 6, "como eu? já? disse|falei|mencionei|pedi|combinamos|combinado", "como eu disse, sem cache"),
    row(Correction, 7, "teria .. esperado|preferido|colocado|feito|usado|pensado|sido", "eu teria colocado em outro lugar"),
    row(Correction, 7, "ao_contrário|o_contrário|vice-versa|o_inverso", "a ordem é ao contrário"),
    // ---- corrections: no, …
    row(Correction, 6, "^ não|nao|nops|nope , +2", "não, na outra pasta"),
    row(Correction, 7, "^ não , @acts|isso|essa|esse|o|a|assim|não|é|deve|tem|você|vc|eu", "não, use a outra tabela"),
    row(Correction, 6, "^ espera|espere|pera|peraí|para|pare|calma|cuidado|opa|epa|ei|atenção , +2", "espera, isso é produção"),
    row(Correction, 6, "^ espera|cuidado|atenção|calma que|com|isso|essa|esse|não +1", "cuidado que a tabela é compartilhada"),
    // ---- corrections: should, contrast
    row(Correction, 6, "deve|deveria|devem|deveriam|tem_que|tem_de|têm_que|precisa|devia .. ser|estar|ir|ficar|aparecer|retornar|usar|ter|voltar|seguir|chamar|vir|passar|mostrar|rodar|apontar", "o botão deve ficar fixo"),
    row(Correction, 6, ", não|nunca|e_não|em_vez|sem !tem|importa|agora|ainda|hoje|é_urgente|sei +1", "use rem, não px"),
    row(Correction, 6, "e não !tem|sei|tenho|ainda|agora|é +1", "pegue a interface e não a classe"),
    row(Correction, 6, "em_vez_de|ao_invés_de|em_vez_do|em_vez_da|no_lugar_de|mas_sim|e_sim|em_vez|ao_invés", "um set em vez de uma lista"),
    row(Correction, 7, "como|igual os|nos|nas|as|no|aos|ao outros|outras|demais|resto", "funções simples, como nos outros arquivos"),
    row(Correction, 7, "já existe|existia|temos|existem|tem_um|tem_uma", "essa função já existe"),
    row(Correction, 7, "temos|tem|existe .. .. .. para|pra isso|isto", "temos um helper para isso"),
    row(Correction, 6, "não precisamos|preciso|queremos +1", "não precisamos de uma factory aqui"),
    row(Correction, 6, "é|está|tá|ficou|são .. demais|muito_complicado|muito_longo|exagerado|complicado_demais", "isso está complicado demais"),
    row(Correction, 6, "^ muito|muita|muitas|complicado|longo demais|complicado|longo", "muito complicado"),
    row(Correction, 6, "^ falta|faltam|faltou|está_faltando|tá_faltando|sobra", "falta o índice"),
    row(Correction, 6, "se_escreve|escreve_se|se_chama|chama_se|é_escrito|se_pronuncia", "isso se escreve com dois eles"),
    row(Correction, 5, "^ na_verdade|na_realidade|de_fato o|a|é|os|isso|não|são", "na verdade a porta é 8443"),
    row(Correction, 7, "^ @praise ... mas|exceto|só|porém|apenas|menos|tirando +2", "ótimo, mas o cabeçalho pula"),
    row(Correction, 6, "^ exceto|porém|uma_coisa|um_detalhe|só_uma_coisa|só_um_detalhe|tirando +2", "só um detalhe: o nome confunde"),
    row(Correction, 7, "para|pare|chega de|com", "pare de adicionar comentários"),
    row(Correction, 7, "da_próxima|na_próxima|próxima vez", "da próxima vez mostre um diff"),
    row(Correction, 9, "por_que|porque|pq .. .. ... de_novo|novamente|outra_vez|ainda", "por que você mexeu no lockfile de novo?"),
    row(Correction, 9, "pode|poderia|podia|dá_para .. ... em_vez|ao_invés|parar_de|não|evitar", "poderia parar de renomear?"),
    row(Correction, 6, "^ para|pra que uma|um|outra|outro|criar|tanta|tanto", "pra que uma classe"),
    row(Correction, 6, "duas_vezes|em_duplicidade|duplicado", "o hook é chamado duas vezes"),
    row(Correction, 6, "^ ainda|continua o|a|aparece|aparecendo|falhando|errado|igual|usando|com|está", "ainda está o título antigo"),
    row(Correction, 7, "combinamos|a_gente_combinou|tínhamos_combinado", "combinamos usar tabs"),
    row(Correction, 6, "fica|vai|vive|pertence .. em|no|na|a|ao|pro .. , não|e_não", "isso fica em core, não em api"),
    // ---- directions
    row(Direction, 8, "a_partir_de|daqui|de_agora|de_hoje agora|hoje|em_diante|para_frente|pra_frente", "daqui em diante assine os commits"),
    row(Direction, 8, "doravante|no_futuro|futuramente|como_regra|via_de_regra|em_geral|de_agora_em_diante|por_convenção|até_segunda_ordem|sem_exceção|em_regra|de_hoje_em_diante", "doravante escreva os testes antes"),
    row(Direction, 8, "^ sempre|nunca|jamais !vi|tinha +1", "sempre aspas duplas"),
    row(Direction, 7, "sempre|nunca|jamais !vi !tinha !visto", "as migrações vão sempre primeiro"),
    row(Direction, 7, "antes_de|depois_de|após|para|em|a cada|todo|toda|todos|todas", "antes de cada push rode o linter"),
    row(Direction, 7, "toda_vez_que|sempre_que|cada_vez_que|quando_você|ao_criar|ao_adicionar|quando_for", "toda vez que criar uma rota, documente"),
    row(Direction, 7, "^ quando|se um|uma|o|a|você|algo ... , @acts|@tasks|não|sempre|nunca", "quando um teste falhar às vezes, abra uma issue"),
    row(Direction, 7, "usamos|preferimos|seguimos|escrevemos|evitamos|nomeamos|colocamos|trabalhamos|utilizamos|fazemos|mantemos|formatamos|documentamos|guardamos|testamos|a_gente_usa|a_gente_prefere|a_gente_escreve|a_gente_não|a_gente_sempre|a_gente_nunca|a_gente_segue|a_gente_só", "aqui usamos tabs"),
    row(Direction, 7, "neste|nesse|nosso|no|em_todo_o|deste|para_este|nesta|nessa|na|da|do @place", "neste repositório os testes ficam ao lado"),
    row(Direction, 8, "nossa|nosso|a|o convenção|regra|política|norma|padrão|guia .. é|,|do|da|diz|aqui|interna", "nossa convenção é kebab-case"),
    row(Direction, 8, "^ regra|convenção|política|norma|padrão|regra_geral|lembrete", "regra geral: uma classe por arquivo"),
    row(Direction, 8, "lembre|lembra|lembre-se|não_esqueça|não_se_esqueça|tenha_em_mente|leve_em_conta|anote|anota|guarde|saiba .. .. que|de|, +2", "lembre que staging não envia e-mail"),
    row(Direction, 8, "^ prefira|dê_preferência|priorize", "prefira composição"),
    row(Direction, 7, "prefiro|quero_que_sempre|gosto_que|não_gosto_que|quero_sempre|quero_que|não_quero_que", "prefiro commits pequenos"),
    row(Direction, 8, "^ siga|atenha-se|limite-se|respeite|fique|mantenha-se|atenha +1", "siga semver"),
    row(Direction, 6, "^ nada|nenhum|nenhuma|sem|chega|não .. de? .. em|no|na|sem|para|fora|nos|nas", "nada de logs no stdout"),
    row(Direction, 7, "não|nunca use|mexa|faça|ponha|modifique|comite|commite|suba|apague|altere|edite|adicione|escreva|crie|misture|faz|usa|mexe|coloque|deixe|instale|importe|renomeie|toque|mude|empurre +1", "não use default export"),
    row(Direction, 7, "não|nunca|jamais deve|devem|se_deve|pode|podem|é_permitido|são_permitidos", "tokens nunca devem ser logados"),
    row(Direction, 6, "^ todos|todas|cada|todo|toda .. .. .. é|são|deve|devem|tem|têm|vai|vão|leva|precisa|precisam|começa|usa|usam|está|fica|ficam", "cada rota precisa de um limite"),
    row(Direction, 6, "proibido|proibidos|proibida|obrigatório|obrigatórios|obrigatória|não_é_permitido|vetado|não_permitido", "console.log é proibido"),
    row(Direction, 6, "só|somente|apenas|unicamente em|no|na|para|com|por|ao|nas|nos|use|usamos", "mocks só na fronteira de rede"),
    row(Direction, 7, "responda|escreva|fale|comente|documente|responde|escreve ... em português|inglês", "responda em português"),
    row(Direction, 6, "^ use|usa|utilize ... para|pra|em_todo|em_todas|sempre|em|no|na", "use tabs para indentação"),
    row(Direction, 5, "^ use|usa|utilize #|* $", "use yarn"),
    row(Direction, 6, "^ seja|mantenha|mantém ... breve|conciso|curto|curtas|curtos|pequenos|pequenas|simples|menos|abaixo|objetivo", "mantenha as funções curtas"),
    row(Direction, 7, "não precisa|precisas|é_necessário|é_preciso .. perguntar|pedir|esperar|confirmar|avisar", "não precisa perguntar antes de rodar os testes"),
    row(Direction, 7, "pode sempre|livremente|sem|à_vontade", "pode sempre reiniciar o container"),
    row(Direction, 6, "nesta|nessa|na_minha|no_meu|neste máquina|laptop|servidor|computador|notebook", "nesta máquina o docker pede sudo"),
    row(Direction, 6, "máximo|no_máximo|pelo_menos|mínimo # * por|em", "no máximo 3 parâmetros por função"),
    // ---- lasting, and for once
    row(Lasting, 5, "sempre|nunca|jamais|cada|todos|todas|diante|todo", "cada arquivo"),
    row(Lasting, 5, "usamos|nosso|nossa|time|equipe|convenção|regra|projeto|repo|gente", "nossa equipe"),
    row(Lasting, 5, "de_novo|outra_vez|já_falei|vez", "de novo a mesma coisa"),
    row(Once, 8, "só|somente|apenas desta_vez|dessa_vez|agora|hoje|nesta_tarefa|esta_vez|uma_vez|neste_commit", "só desta vez"),
    row(Once, 8, "por_enquanto|por_ora|excepcionalmente|no_momento|só_por_hoje|desta_vez", "por enquanto sem testes"),
    // ---- rejections
    row(Rejection, 7, "^ não|nao|cancela|cancele|pare|para|aborta|aborte|chega|desfaz|desfaça|nem $", "cancela"),
    row(Rejection, 8, "não|nao obrigado|obrigada|precisa|valeu|é_necessário > $", "não, obrigado"),
    row(Rejection, 8, "não precisa , +1", "não precisa, tá bom, não precisa, deixa"),
    row(Rejection, 8, "deixa|deixe|deixar assim|como|quieto|isso|pra_lá|para_lá|estar|lá|do_jeito", "deixa assim"),
    row(Rejection, 8, "^ esquece|esqueça|deixa_pra_lá|não_importa|tanto_faz|não_se_incomode|nem_se_incomode|não_se_preocupe", "esquece"),
    row(Rejection, 8, "^ não faça|faz|quero|mexa isso|isto|nisso $", "não faça isso"),
    row(Rejection, 7, "^ desfaz|desfaça|reverta|reverte|volta|volte|restaure", "desfaça a última mudança"),
    row(Rejection, 7, "não gosto|gostei|me_convence|curti|quero_isso", "não gostei"),
    row(Rejection, 7, "^ agora|hoje|ainda|melhor não $", "melhor não"),
    row(Rejection, 7, "^ cancela|cancele|aborta|aborte|interrompa o|a|isso|tudo", "cancele o deploy"),
    // ---- approvals
    row(Approval, 6, "^ sim|claro|exato|exatamente|correto|certo|concordo|com_certeza|isso|isso_mesmo|pode|aprovado|positivo|combinado|fechado|uhum $", "exatamente"),
    row(Approval, 6, "^ perfeito|ótimo|excelente|legal|maravilha|show|beleza|massa|boa|muito_bom|muito_bem|bacana|top|sensacional|bom $", "maravilha"),
    row(Approval, 6, "^ sim|perfeito|ótimo|excelente|legal|maravilha|show|beleza|massa|boa|muito_bom|claro|certo|ok|isso > , +1", "ótimo, continua"),
    row(Approval, 7, "pode_continuar|pode_seguir|pode_mandar|pode_fazer|vá_em_frente|vai_em_frente|manda_ver|segue_assim|continua_assim|pode_mergear|pode_ir|manda_bala|siga_em_frente|pode_subir|pode_prosseguir", "pode continuar"),
    row(Approval, 6, "^ continua|continue|segue|siga|prossiga|avança $", "continue"),
    row(Approval, 7, "parece|está|esta|tá|ficou|soa|funciona|acho .. bom|ótimo|perfeito|excelente|correto|certo|muito_bom|bem|legal|show >", "ficou ótimo"),
    row(Approval, 8, "assim|desse_jeito|isso .. está|tá|fica|ficou|é bom|ótimo|perfeito|melhor|certo", "assim está ótimo"),
    row(Approval, 8, "está|tá|ficou|é .. bom|ótimo|perfeito|bem|certo assim|desse_jeito|como_está", "tá bom assim"),
    row(Approval, 8, "não mude|mexa|altere|muda|mexe|troque .. nada", "não mude nada"),
    row(Approval, 8, "nada|nenhuma|nenhum|sem a_objetar|a_mudar|objeção|objeções|mudanças|alterações|reclamações|ressalvas|comentários", "sem objeções"),
    row(Approval, 7, "^ gostei|adorei|curti|amei", "gostei muito"),
    row(Approval, 7, "boa_ideia|bom_trabalho|muito_bem|bem_pensado|bem_visto|tem_razão|faz_sentido|muito_melhor|bem_melhor|exatamente_o_que|mandou_bem|por_mim_tudo_bem|de_acordo", "bem pensado"),
    row(Approval, 8, "^ nada mal|não_está_mal", "nada mal"),
    row(Approval, 8, "ia ... mas|e você|vc|já", "eu ia sugerir um set mas você já fez"),
    row(Approval, 7, "nunca vi|tinha ... tão|rápido", "nunca vi o build tão rápido"),
    // ---- clarifications
    row(Clarification, 8, "quis_dizer|queria_dizer|me_referia|me_refiro|estava_falando|tava_falando|quero_dizer|falava_do|falava_da", "eu quis dizer o outro servidor"),
    row(Shield, 8, "quis_dizer|queria_dizer|me_referia|me_refiro|me_enganei|me_confundi|errei|erro_meu|meu_erro|falha_minha|culpa_minha|foi_mal|quero_dizer", "erro meu, era o outro"),
    row(Clarification, 8, "me_enganei|me_confundi|erro_meu|meu_erro|falha_minha|culpa_minha|digitei_errado|foi_mal|errei|eu_errei", "me enganei, porta 81"),
    row(Shield, 8, "desculpa|desculpe|perdão|ops|opa , é|era|o|a|quis|eu|me", "desculpa, era o outro arquivo"),
    row(Clarification, 8, "para_esclarecer|só_para_esclarecer|para_ser_claro|respondendo|para_responder|esclarecendo|contexto|para_contexto|ou_seja|isto_é|só_pra_esclarecer|deixando_claro|pra_deixar_claro", "para esclarecer: é só a API"),
    row(Clarification, 7, "^ sim|não , temos|tem|tenho|há|ainda|só|ambos|as_duas|os_dois|está_em|roda", "sim, temos redis"),
    row(Clarification, 7, "^ o|a|os|as primeiro|primeira|segundo|segunda|terceiro|terceira|último|última|outro|outra $", "a segunda"),
    row(Clarification, 7, "não .. entendi|entendo|sei|compreendo|lembro|conheço", "não entendi o resumo"),
    row(Clarification, 7, "^ não_tenho_certeza|não_sei|sem_ideia|depende|talvez|acho_que|suponho|pode_ser|provavelmente|não_faço_ideia", "não tenho certeza"),
    row(Clarification, 6, "^ o_que|qual|quais|quem|onde|como|quando_foi|quando_é|quanto|quantos", "qual arquivo você mudou"),
    row(Clarification, 7, "por_que|porque|pq você|vc|não|está|é|tem|quer|usou|usa|propõe|o|a|isso|escolheu|fez", "por que você escolheu isso"),
    row(Clarification, 7, "há|tem|existe alguma|algum razão|motivo|forma|jeito|maneira", "tem algum motivo"),
    row(Clarification, 7, "deixa|deixe|vou|preciso eu|me? consultar|perguntar|ver|verificar|pensar|conferir|checar", "deixa eu conferir"),
    row(Clarification, 6, "significa|quer_dizer", "eol significa fim"),
    // ---- tasks
    row(TaskStart, 6, "^ @tasks !nada !isso !assim +1", "implemente a fila"),
    row(TaskStart, 7, "pode|poderia|podes|consegue|dá_para|dá_pra .. @inf", "pode verificar o job"),
    row(TaskStart, 6, "preciso|precisamos|quero|queria|gostaria|queremos de? um|uma|que|uns|outro|outra|@inf", "preciso de um endpoint de saúde"),
    row(TaskStart, 7, "^ vamos|bora|façamos|partiu !parar !encerrar", "vamos construir o importador"),
    row(TaskStart, 7, "^ próximo|próxima|agora|depois|seguinte|nova_tarefa|tarefa|em_seguida > ,? tarefa|passo|ticket|o|a|um|uma|@tasks|os|as", "próximo: o exportador"),
    row(TaskStart, 8, "já_que_está|aproveitando|aproveita|enquanto_isso|de_quebra|já_que_você_está", "já que está nisso, ordene os imports"),
    row(TaskStart, 8, "sem|não_há|não_tem pressa , mas|pode|poderia|quando", "sem pressa, mas olhe o footer"),
    row(TaskStart, 7, "dá|dê|dar|dar_uma|dá_uma uma|olhada", "dá uma olhada no job"),
    row(TaskStart, 6, "ao|quando ... aparece|falha|trava|diz|mostra|erro|quebra|dá|fica|retorna", "ao fazer login aparece um erro"),
    row(TaskStart, 8, ", veja|vê|olha|olhe|dá_uma|verifica|verifique|investiga|investigue|pode_ver|confere|descubra", "recusa a senha, verifica"),
    row(TaskStart, 7, "^ @tasks ... também", "documente também a API"),
    // ---- the end of a task
    row(TaskEnd, 8, "^ pronto|terminado|feito|acabou|terminamos|é_isso|concluído|finalizado $", "concluído"),
    row(TaskEnd, 8, "é_isso|isso_é_tudo|é_tudo|pronto|terminamos|acabamos|já_chega|por_hoje|só_isso|era_isso , por|obrigado|obrigada|valeu|terminamos|com|podemos|é|encerramos", "é tudo, obrigado"),
    row(TaskEnd, 8, "tudo|terminamos|pronto|chega|basta|paramos|acabamos|paro|encerramos|só|suficiente .. por_hoje|aqui|por_aqui|por_enquanto_é_só", "chega por hoje"),
    row(TaskEnd, 8, "terminamos|acabamos|já_terminei|já_terminamos|vamos_parar|paramos_por_aqui|encerramos|vamos_encerrar|estamos_prontos", "já terminamos"),
    row(TaskEnd, 8, "vou|já mergear|fechar|fazer_o_merge|fazer_merge|encerrar|fecho|mergeio", "vou fazer o merge"),
    row(TaskEnd, 8, "feche|fecha o|a ticket|issue|pr|tarefa|branch", "feche o ticket"),
    row(TaskEnd, 8, "^ boa_noite|até_amanhã|tchau|até_mais|até_logo|falou", "até amanhã"),
    row(TaskEnd, 7, "o_resto|continuamos|continuo|resto|a_gente_continua amanhã|fica_para_amanhã", "o resto fica para amanhã, continuamos amanhã"),
    // ---- small talk
    row(Idle, 8, "^ sem|nenhum|não_tem|não_há|não_é problema|problemas|problema_nenhum|estresse|pressa >", "sem problemas"),
    row(Idle, 7, "^ obrigado|obrigada|muito_obrigado|muito_obrigada|valeu|ok|okay|hm|hmm|oi|olá|bom_dia|boa_tarde|entendi|entendido|interessante|haha|kkk|kkkk|rs|beleza_então|de_nada|tranquilo|saquei|ah *? *? $", "muito obrigado"),
    row(Idle, 6, "que dia|semana|confusão", "que dia"),
    // ---- what is not said by the person, or not meant
    row(Shield, 7, "^ se isso|isto|fosse|estivesse|eu|tivesse", "se isso fosse falso o teste estaria vermelho"),
    row(Shield, 7, "log|logs|saída|compilador|linter|ci|mensagem|console|doc|documentação|readme|comentário|ticket|aviso diz|disse|indica|mostra|reporta|reclama|afirma", "o linter diz para nunca usar var"),
    row(Shield, 7, "ele|ela|anna|alguém|colega|chefe|cliente diz|disse|acha|pensa|sugere|quer|falou", "ela diz que deveria ser um set"),
    row(Shield, 8, "haha|kkk|kkkk|brincadeira|tô_brincando|estou_brincando|lol|rsrs|😂|🤣", "kkk brincadeira, nunca"),
    // ---- asks for a reason
    row(Why, 5, "^ .. por_que|porque|pra_que|para_que|pq", "por que uma classe"),
    // ---- praise before a "but"
    row(Praise, 5, "^ @praise", "bom trabalho"),
    row(Correction, 9, "^ muito_bom|bom|ótimo|perfeito|legal|ok , mas ... , não", "bom, mas é em euros, não em dólares"),
    row(Direction, 8, "se|quando * ... , *e também|sempre|nunca", "quando renomear uma tabela, mude também o modelo"),
    row(Direction, 9, "*s * precisam de|do|da um|uma", "módulos novos precisam de um dono"),
    row(Rejection, 8, "^ não|nao , melhor não|nao $", "não, melhor não"),
];
