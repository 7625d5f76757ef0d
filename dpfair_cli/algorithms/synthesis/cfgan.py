"""CFGAN: a generator along a causal graph without an effect of the protected variable.

Source: xu2021, Sections 7.2.2 to 7.2.5.
Differs: Layer sizes, optimiser and epochs are not published. Ours are in the modules
    causal_fairness.causal_game and synthesis.game_schedule of models. G1 and G2 are one
    network with shared weights. The network draws each record three times with the same noise: as
    observed, and under the interventions that set the protected variable to 0 and to 1. Variables
    have two values, and noise is added to the score of each variable as the last step. The
    distribution of the generator is therefore known exactly and is scored without sampling. The
    critic D1 with the objective J1 tells real from generated records. The critic D2 with the
    objective J2 tells the two interventions apart. J1 and J2 are printed with "1 - log D" in place
    of the log-likelihood log(1 - D), which is used here. With `goal` "fool" the generator ascends
    the log-likelihood of wrong answers of the critics, as in fair_gan. "minimax" is the printed
    game. With `effect` "counterfactual" D2 sees the context, which is the values of the observed
    variables. Section 7.2.5 prints J2 for one context, while Definition 16 asks for every context,
    and no expectation over contexts is printed. With `context_weights` "equal" J2 is the mean over
    the contexts in a batch. With "proportional" contexts are weighted by their numbers of records,
    which gives the expectation over all records. Each round has one step of each critic.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness import effects
from dpfair_cli.models.causal_fairness.record_distribution import ModelledRecords
from dpfair_cli.models.synthesis.game_schedule import DEFAULT_CAUSAL, CausalSchedule, Goal
from dpfair_cli.models.synthesis.torch_networks import causal_game


@checked
def fit(
    records: CausalRecords,
    *,
    effect: effects.Effect = "total",
    fairness: NotNegativeFinite = 1.0,
    goal: Goal = "fool",
    context_weights: effects.ContextWeights = "equal",
    game: CausalSchedule = DEFAULT_CAUSAL,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> ModelledRecords:
    """The distribution of the records that the trained generator makes.

    `fairness` is the weight lambda of the loss against the effect of the protected variable; with
    weight 0 the algorithm is CausalGAN. `context_weights` is used only with `effect`
    "counterfactual".

    Args:
        effect: The effect of the protected variable that the generator removes.
        fairness: lambda, the weight of the fairness term; 0 means no fairness.
        goal: What the generator ascends: wrong answers of the critics ("fool"), or the printed game
            ("minimax").
        context_weights: The weights of the contexts of a counterfactual effect, equal or by numbers
            of records.

    Raises:
        ValueError: there are fewer records than a batch, the effect is not identified because its
            paths have a recanting witness, the protected variable has an effect on the context, or
            the data set does not name the attributes that the effect needs.
    """
    _require_attributes(records, effect)
    known = records.context if effect == "counterfactual" else ()
    effects.require_identified_context(records.graph, known)
    along = effects.intervened_edges(records.graph, effect, records.through)
    game_rng, device = rng.spawn(1)[0], context.device
    play = causal_game()(records, game, along, known, context_weights, game_rng, device)

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


def _require_attributes(records: CausalRecords, effect: effects.Effect) -> None:
    """Refuses `effect` if it needs attributes that the data set does not name."""
    if effect == "indirect" and not records.through:
        raise ValueError(
            "the effect 'indirect' is along paths through certain attributes, and the data set "
            "names none: name the attributes in the option `through` of the data set"
        )
    if effect == "counterfactual" and not records.context:
        raise ValueError(
            "the effect 'counterfactual' is conditional on certain attributes, and the data set "
            "names none: name the attributes in the option `observed` of the data set"
        )


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Sections 7.2.2 to 7.2.5",
    needs="torch",
)
