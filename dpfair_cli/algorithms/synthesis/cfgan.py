"""CFGAN: a generator along a causal graph without an effect of the protected variable.

Source: xu2021, Sections 7.2.2 to 7.2.5.
Differs: Layer sizes, optimiser and epochs are not published. Ours stand in
    models/causal_fairness/causal_generator.py and causal_schedule.py. G1 and G2 are one network
    with shared weights, evaluated in three worlds with shared noise. Variables are two-valued and
    noise enters each at the end, so the distribution of the generator is known exactly and is
    scored without sampling. J1 and J2 are printed with "1 - log D" in place of the log-likelihood
    log(1 - D), which is used here. With `goal` "fool" the generator ascends the log-likelihood of
    wrong answers, as in fair_gan. "minimax" is the printed game. With `effect` "counterfactual" D2
    sees the context. Section 7.2.5 prints J2 for one context, while Definition 16 asks for every
    context and no expectation over contexts is printed. Here J2 is the mean over the contexts in a
    batch with `context_weights` "equal". With "proportional", contexts are weighted by their
    records, which is the expectation over all records. Each round has one step of each critic.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.causal_schedule import DEFAULT_CAUSAL, CausalSchedule
from dpfair_cli.models.causal_fairness.effects import ContextWeights, require_identified_context
from dpfair_cli.models.causal_fairness.paths import Effect, intervened_edges
from dpfair_cli.models.causal_fairness.record_distribution import ModelledRecords
from dpfair_cli.models.causal_fairness.torch_games import causal_game
from dpfair_cli.models.synthesis.game_schedule import Goal


@checked
def fit(
    records: CausalRecords,
    *,
    effect: Effect = "total",
    fairness: NotNegativeFinite = 1.0,
    goal: Goal = "fool",
    context_weights: ContextWeights = "equal",
    game: CausalSchedule = DEFAULT_CAUSAL,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> ModelledRecords:
    """The distribution of the trained generator.

    `fairness` is lambda; with lambda = 0 the algorithm is CausalGAN. `context_weights` are used
    only by the effect "counterfactual".

    Raises:
        ValueError: fewer records than a batch, an effect along paths with a recanting witness, a
            context that the protected variable moves, or records without the attributes that the
            effect is about.
        DpfairError: torch is not here.
    """
    _require_attributes(records, effect)
    known = records.context if effect == "counterfactual" else ()
    require_identified_context(records.graph, known)
    along = intervened_edges(records.graph, effect, records.through)
    play = causal_game()(records, game, along, known, context_weights, rng.spawn(1)[0])

    def play_round() -> dict[str, float]:
        fake = play.generated(fairness > 0)
        play.train_origin_critic(play.real(), fake)  # max J1 over D1
        if fairness:
            play.train_intervention_critic(fake)  # max J2 over D2
        fake = play.generated_with_gradients(fairness > 0)
        j1 = loss = play.origin_loss(fake, goal)
        numbers = {"J1": j1.item()}
        if fairness:
            j2 = play.intervention_loss(fake, goal)
            loss = j1 + fairness * j2
            numbers |= {"J2": j2.item(), "effect": play.difference(fake)}
        play.generator.descend(loss)  # min J1 + lambda J2 over G1 and G2
        return numbers

    model = play.play(play_round, context=context, rng=rng)
    return ModelledRecords(
        model.joint(), records.domain, records.graph, model, play.sampling_distance(model)
    )


def _require_attributes(records: CausalRecords, effect: Effect) -> None:
    """Refuses an effect whose attributes the data set does not name.

    Raises:
        ValueError: says which.
    """
    if effect == "indirect" and not records.through:
        raise ValueError(
            "an indirect effect needs mediating attributes: name them in the option "
            "`through` of the data set"
        )
    if effect == "counterfactual" and not records.context:
        raise ValueError(
            "a counterfactual effect is conditional on attributes: name them in the option "
            "`observed` of the data set"
        )


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Sections 7.2.2 to 7.2.5",
    needs="torch",
)
